/** Findings of a probe of the service, as printed by `scim-bridge check --json`. */
export interface CheckReport {
  /** False when a check failed; warnings alone leave it true. */
  readonly ok: boolean;
  readonly service: { readonly url: string; readonly apiVersion: string };
  readonly checks: readonly CheckResult[];
  /** Requests that were sent, all of them reads. */
  readonly calls: number;
}

/** One thing that has to work: `failed` keeps the bridge from its task, with a `warning` it does less. */
export interface CheckResult {
  /** Stable, for scripts. */
  readonly id: string;
  readonly title: string;
  readonly status: 'ok' | 'failed' | 'warning';
  readonly detail: string;
  /** A remedy for an operator. */
  readonly remedy?: string;
}
