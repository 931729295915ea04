//! Files of docker-compose.

pub(crate) mod read;
