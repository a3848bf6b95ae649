CREATE TABLE crdlab_scenarios (
	id      text PRIMARY KEY,
	value   bytea NOT NULL,
	expires timestamptz NOT NULL
);

CREATE INDEX crdlab_scenarios_expires ON crdlab_scenarios (expires) WHERE expires < 'infinity';

-- The size of all values in bytes, in one row. 256 bytes count for each link in addition.
CREATE TABLE crdlab_usage (
	singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
	bytes     bigint NOT NULL
);

INSERT INTO crdlab_usage (bytes) VALUES (0);
