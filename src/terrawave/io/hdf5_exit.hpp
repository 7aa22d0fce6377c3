#pragma once

namespace terrawave::io {

// Keeps HDF5 from its work at the program's exit: every file is closed and checked before, and
// after a file that could not be closed (a full disk) the library crashes there. To be called
// before the first use of HDF5 or NetCDF; no effect later.
void keep_hdf5_from_exit();

}  // namespace terrawave::io
