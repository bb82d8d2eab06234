//! Affine maps over GF(2)^32.
