//! Machines as tables: registers, instructions, costs, CPU predicates.
