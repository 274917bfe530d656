/** What a probe of the service found, as printed by `scim-bridge check --json`. */
export interface CheckReport {
  /** False when a check failed; warnings and refuted guesses alone leave it true. */
  readonly ok: boolean;
  readonly service: { readonly url: string; readonly apiVersion: string };
  readonly checks: readonly CheckResult[];
  readonly guesses: readonly GuessResult[];
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
  /** What to do about it. */
  readonly remedy?: string;
}

/** One thing that the service's documents leave open and the bridge has a default for. */
export interface GuessResult {
  /** Stable, for scripts. */
  readonly id: string;
  readonly guess: string;
  /** `unknown`: nothing seen proves either, or only a write would show it. */
  readonly verdict: 'confirmed' | 'refuted' | 'unknown';
  /** What was seen instead, or why nothing could be. */
  readonly observed?: string;
  /** The setting that the guess is the default of, such as `upstream.filter`. */
  readonly setting?: string;
  /** What to set it to, when what is set does not fit. */
  readonly value?: string | number;
}
