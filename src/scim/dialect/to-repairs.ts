import type { RepairKind, Repairs } from './repairs.ts';

/** Counts repairs where telemetry counts them. */
export function toRepairs(telemetry: { repaired(kind: RepairKind): void }): Repairs {
  return { count: (kind) => telemetry.repaired(kind) };
}
