"""What of Ray is changed rather than used, each with its reason and the version that it can go with.

- `loopback`: a replica's gRPC listener binds to loopback on one machine. Serve 2.60 binds it to every interface, and it unpickles what it is
  sent. Can go with a Serve that has an option for the address.
- `haproxy`: corrects the configuration that Serve writes for HAProxy. 2.60 binds metrics and statistics to every interface, answers in plain text,
  and splices, under which a client that leaves is not noticed. Can go with a Serve whose template has these as options.
- `lean`: no monitor, no dashboard server, no log forwarder beside a Ray of one machine: 170 MB and two seconds of the start. Can go with a
  `ray.init` that has options for them.
- `without_pandas`: Serve's processes do not import pandas, which they do wherever it is installed. Can go with a Serve that imports it when a data
  frame is there to encode.

Each stands on names that Ray calls private: each has a test against the Ray that is installed, which pyproject.toml pins to its minor version.
"""
