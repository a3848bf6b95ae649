-- The size of all values in bytes, in one row. 256 bytes count for each link in addition.
CREATE TABLE crdlab_usage (
	singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
	bytes     bigint NOT NULL
);

INSERT INTO crdlab_usage (bytes)
SELECT coalesce(sum(octet_length(value) + 256), 0) FROM crdlab_scenarios;
