/** When something that can be revoked was made, used and ended. Moments are ISO 8601. */
export interface LifeView {
  readonly createdAt: string;
  /** The id of the credential that made it; `command`: a command, while no bridge was running. */
  readonly createdBy: string;
  /** To the minute; null: never. */
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

/** The same of a row. */
export function toLifeView(row: {
  readonly created_at: number;
  readonly created_by: string;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}): LifeView {
  return {
    createdAt: new Date(row.created_at).toISOString(),
    createdBy: row.created_by,
    lastUsedAt: toMoment(row.last_used_at),
    revokedAt: toMoment(row.revoked_at),
  };
}

/** A moment as ISO 8601. */
export function toMoment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
