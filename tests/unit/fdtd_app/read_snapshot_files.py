#!/usr/bin/env python3
"""Reads what snapshot_test.cpp writes with VTK (ParaView's readers) and h5py.

    read_snapshot_files.py TEST_PROGRAM
"""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLRectilinearGridReader


def read(reader, path):
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], "--gtest_filter=Snapshot.*"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "TERRAWAVE_SNAPSHOT_FILES": folder})
    grid = read(vtkXMLRectilinearGridReader(), os.path.join(folder, "field.vtr"))
    assert grid.GetDimensions() == (3, 2, 4), grid.GetDimensions()
    assert list(vtk_to_numpy(grid.GetXCoordinates())) == [0, 1, 3]
    e = vtk_to_numpy(grid.GetPointData().GetArray("E"))
    assert e.shape == (24, 3) and e[5, 2] == 52, e
    metal = read(vtkXMLPolyDataReader(), os.path.join(folder, "metal.vtp"))
    assert metal.GetNumberOfLines() == 2 and metal.GetNumberOfPoints() == 3
    assert list(vtk_to_numpy(metal.GetCellData().GetArray("object"))) == [7, 9]
    with h5py.File(os.path.join(folder, "dft.h5")) as h5:
        ex = h5["run/plane/Ex"]
        assert ex.shape == (2, 3) and ex.dtype == numpy.complex128, ex
        assert ex[1, 0] == 7 + 8j, ex[1, 0]
        assert h5["run/plane/x"].attrs["units"] in ("m", b"m")
print("VTK and h5py read what was written")
