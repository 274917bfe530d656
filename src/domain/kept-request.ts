/** An attribute that a request writes, and of how many values; never the values. */
export interface WrittenPath {
  /** Of parts that were dropped, repaired or refused `path` is the kind of reason: their names may be personal. */
  readonly op: 'set' | 'add' | 'replace' | 'remove' | 'drop' | 'repair' | 'refuse';
  /** Path in the spelling of the schema, an extension's after its URN. */
  readonly path: string;
  /** 0: it is to have none; of a filter it is not known how many it meets, and counts as 1. */
  readonly values: number;
}

/** A request of a provider, or one operation of a bulk request, without anything that is personal. */
export interface KeptRequest {
  /** Time of arrival (epoch milliseconds). */
  readonly at: number;
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route, `/Users/{id}`; none: nothing is served there. */
  readonly route: string;
  readonly resourceType: 'user' | 'group' | null;
  readonly resourceId: string | null;
  readonly written: readonly WrittenPath[];
  /** 0: there is no answer yet. */
  readonly status: number;
  /** The error keyword of a refusal. */
  readonly scimType: string | null;
  /** The words of a refusal, as in the answer, but those of the service. */
  readonly refusal: string | null;
  readonly durationMs: number;
  /** Name by which the provider's client introduces itself. */
  readonly client: string | null;
  /** Id of the credential of the request: `settings-1`, `token-…`, `client-…`. */
  readonly credential: string;
}
