import type { OpsJson, OpsSchemaName } from '../../src/ops/schemas/schemas.ts';

/** JSON of an answer or a body below `/ops`, by the name of its schema. The only place that reads the sources of the bridge. */
export type Ops<Name extends OpsSchemaName> = OpsJson<Name>;
/** Name of a schema. */
export type OpsName = OpsSchemaName;
