//! Vector kernels over slices; uses no other module.
