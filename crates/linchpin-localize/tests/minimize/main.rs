//! Minimisation against its definition, on made-up failures.

mod clients;
mod reading;
mod smallest;
