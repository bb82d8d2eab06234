//! Warnings about what is legal but surely not meant.
