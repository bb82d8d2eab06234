//! What the evidence leaves open, and what the model assumes instead.
