/** Findings of a probe of the service, as printed by `scim-bridge check --json`. */
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
  /** A remedy for an operator. */
  readonly remedy?: string;
}

/** One thing that the service's documents leave open and the bridge has a default for. */
export interface GuessResult {
  /** Stable, for scripts. */
  readonly id: string;
  readonly guess: string;
  /** `unknown`: nothing seen proves either, or only a write would show it. */
  readonly verdict: 'confirmed' | 'refuted' | 'unknown';
  /** The observation, or the reason why there is none. */
  readonly observed?: string;
  /** The setting that the guess is the default of, such as `upstream.filter`. */
  readonly setting?: string;
  /** A value that fits, when the one in use does not. */
  readonly value?: string | number;
}
