#!/usr/bin/env python3
"""QGIS opens fields.nc as a mesh layer: cells, times, groups with velocities as vectors, CRS.

    read_qgis.py PROGRAM        (headless)
"""
import os

import result

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
try:
    from qgis.core import Qgis, QgsApplication, QgsMeshDatasetIndex, QgsMeshLayer
except ImportError as e:
    result.skip(f"{e} (Debian: python3-qgis qgis-providers)")

keep, out, facts = result.make('crs = "EPSG:32630"')
if not (out / "fields.nc").exists():
    result.skip("this build has no NetCDF")
app = QgsApplication([], False)
app.initQgis()
layer = QgsMeshLayer(str(out / "fields.nc"), "fields", "mdal")
assert layer.isValid(), layer.error().message()
provider = layer.dataProvider()
assert provider.faceCount() == result.CELLS and provider.vertexCount() == result.NODES
assert provider.crs().authid() == "EPSG:32630", provider.crs().authid()
groups = {}
for g in range(provider.datasetGroupCount()):
    about = provider.datasetGroupMetadata(g)
    hours = [provider.datasetMetadata(QgsMeshDatasetIndex(g, k)).time()
             for k in range(provider.datasetCount(g))]
    groups[about.name()] = (about, [h * 3600 for h in hours])
for layer_name in ("upper", "lower"):
    for what, is_vector in (("thickness", False), ("velocity", True)):
        about, seconds = groups[f"{what} of the {layer_name} layer"]
        assert about.isVector() == is_vector and about.isTemporal()
        assert all(map(result.near, seconds, result.TIMES)) and len(seconds) == 3, seconds
interface = groups["height of the interface"][0]
index = next(g for g in range(provider.datasetGroupCount())
             if provider.datasetGroupMetadata(g).name() == interface.name())
values = provider.datasetValues(QgsMeshDatasetIndex(index, 2), 0, result.CELLS)
lowest = min(values.value(i).scalar() for i in range(result.CELLS))
assert result.near(lowest, facts["last_map"]["interface_lowest"]), lowest
assert groups["depth of the bottom below the datum"][0].maximum() == 5
print("QGIS", Qgis.QGIS_VERSION, "opens fields.nc:", ", ".join(groups))
app.exitQgis()
