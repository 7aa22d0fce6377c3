#!/usr/bin/env python3
"""xarray opens fields.nc and gauges.nc and finds the values that run.json tells.

    read_xarray.py PROGRAM
"""
import result

try:
    import numpy
    import xarray
except ImportError as e:
    result.skip(f"{e} (Debian: python3-xarray)")

keep, out, facts = result.make('crs = "EPSG:32630"')
if not (out / "fields.nc").exists():
    result.skip("this build has no NetCDF")
with xarray.open_dataset(out / "fields.nc") as d:
    assert d.sizes["mesh_nFaces"] == result.CELLS and d.sizes["mesh_nNodes"] == result.NODES, d.sizes
    seconds = (d.time - numpy.datetime64("2000-01-01")) / numpy.timedelta64(1, "s")
    assert seconds.values.tolist() == result.TIMES, d.time
    for name in ("eta1", "eta2", "h1", "h2", "u1x", "u1y", "u2x", "u2y"):
        assert d[name].dims == ("time", "mesh_nFaces") and d[name].attrs["units"], d[name]
        assert numpy.isfinite(d[name]).all(), name
    last = d.isel(time=-1)
    assert float(last.eta2.min()) == facts["last_map"]["interface_lowest"], last.eta2
    assert float(last.eta1.max()) == facts["last_map"]["surface_highest"], last.eta1
    assert abs(last.h1 + last.h2 - d.bottom - last.eta1).max() < 1e-12
    corners = d[d.mesh.attrs["face_node_connectivity"]]
    assert numpy.issubdtype(corners.dtype, numpy.integer) and int(corners.max()) + 1 == result.NODES
    x = d.mesh_node_x.values[corners.values].mean(axis=1)
    assert numpy.allclose(x, d.eta1.mesh_face_x, rtol=1e-14), "centres"
    assert "UTM zone 30N" in d.crs.attrs["crs_wkt"], d.crs
with xarray.open_dataset(out / "gauges.nc") as g:
    assert g.station_name.values.astype(str).tolist() == ["east"], g.station_name
    assert float(g.eta2.isel(time=-1, station=0)) == facts["gauges"]["east"]["eta2"], g.eta2
print("xarray", xarray.__version__, "reads fields.nc and gauges.nc")
