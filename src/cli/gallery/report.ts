import type { GateCheck, GateName, Source } from './gates.ts';

/** Outcome of a check. */
type CheckStatus = 'ok' | 'failed' | 'skipped';

/** A request that a check sent, and the part of the answer that matters: no secret, and nothing of other people. */
export interface Evidence {
  /** `GET /Users?filter=userName eq "…"`. */
  readonly request: string;
  readonly status: number;
  readonly durationMs: number;
  /** How often it was sent with this status. */
  readonly times: number;
  /** Parts of the answer that were looked at. */
  readonly parts: readonly string[];
}

/** Result of a check. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  readonly source: Source;
  readonly status: CheckStatus;
  /** Why it failed or was skipped; null: it is ok. */
  readonly why: string | null;
  readonly evidence: readonly Evidence[];
}

/** Outcome of the clean-up of a run. */
export interface CleanUp {
  /** People and groups that were deleted. */
  readonly people: number;
  readonly groups: number;
  /** Names that SCIM answers still have. */
  readonly left: readonly string[];
  /** Credentials of the run, by name, and whether each has ended. */
  readonly credentials: readonly { readonly name: string; readonly ended: boolean }[];
  /** Failure in words; null: everything was cleaned up. */
  readonly problem: string | null;
}

/** Report of a run: what `--json` prints. Its shape is stable. */
export interface GalleryReport {
  readonly gate: GateName;
  readonly title: string;
  readonly bridge: { readonly version: string; readonly mode: 'live' | 'observe' };
  readonly baseUrl: string;
  readonly provider: string;
  readonly profile: 'lenient' | 'strict';
  /** Begins every name of the run. */
  readonly mark: string;
  readonly startedAt: string;
  readonly endedAt: string;
  /** True: it was ended before its last check. */
  readonly stopped: boolean;
  readonly summary: Readonly<Record<CheckStatus, number>>;
  readonly checks: readonly CheckResult[];
  readonly cleanUp: CleanUp;
  /** Remains in the service, where the bridge cannot delete. */
  readonly remains: string;
}

/** Counts results by their status. */
export function toSummary(
  checks: readonly Pick<CheckResult, 'status'>[],
): GalleryReport['summary'] {
  const summary = { ok: 0, failed: 0, skipped: 0 };
  for (const { status } of checks) summary[status] += 1;
  return summary;
}

/** True when nothing failed, nothing is left, and no check is missing. */
export function isPassed({ summary, cleanUp, stopped }: GalleryReport): boolean {
  const ended = cleanUp.credentials.every((credential) => credential.ended);
  const isClean = cleanUp.left.length === 0 && cleanUp.problem === null && ended;
  return summary.failed === 0 && isClean && !stopped;
}

/** Result of a check that was not begun. */
export function toUnbegun({ id, title, source }: GateCheck): CheckResult {
  const why = 'the run was ended before';
  return { id, title, source, status: 'skipped', why, evidence: [] };
}
