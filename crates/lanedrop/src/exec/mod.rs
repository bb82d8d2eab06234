//! Execution of the instruction: the golden model and the fast path.
