CREATE TABLE crdlab_scenarios (
	id      text PRIMARY KEY,
	value   bytea NOT NULL,
	expires timestamptz NOT NULL
);

CREATE INDEX crdlab_scenarios_expires ON crdlab_scenarios (expires) WHERE expires < 'infinity';
