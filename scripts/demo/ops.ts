import type { JsonObject } from '../../src/domain/json.ts';
import type { DriftAnswer } from '../../src/ops/schemas/drift.ts';
import type { PlanAnswer, PlanSummary } from '../../src/ops/schemas/plans.ts';
import type { Talk } from './talk.ts';

/** Reads the differences of now and before, as the bridge tells them. */
export async function readDrifts(talk: Talk): Promise<readonly DriftAnswer[]> {
  const path = '/ops/drifts';
  return parseItems<DriftAnswer>(await talk.askQuietly({ as: 'operator', method: 'GET', path }));
}

/** The plans that wait for an operator. */
export async function readHeldPlans(talk: Talk): Promise<readonly PlanSummary[]> {
  const path = '/ops/plans?status=held';
  return parseItems<PlanSummary>(await talk.askQuietly({ as: 'operator', method: 'GET', path }));
}

/** A plan with its first actions. */
export async function readPlan(talk: Talk, id: string): Promise<PlanAnswer> {
  const path = `/ops/plans/${id}`;
  const body = await talk.askQuietly({ as: 'operator', method: 'GET', path });
  return body as unknown as PlanAnswer;
}

/** One drift in a line: what, of whom, what became of it, and by whom. */
export function toDriftLine({ kind, resource, member, status, who }: DriftAnswer): string {
  const name = resource.name ?? resource.id;
  const whom = member === null ? name : `${member.name ?? member.id} in ${name}`;
  const by = who === null ? 'by nobody known' : `by ${who.username} from ${who.address}`;
  return `${kind.padEnd(16)} ${whom.padEnd(30)} ${status.padEnd(9)} ${by}`;
}

/** Takes an answer as it is: it comes from the same version of the bridge. */
function parseItems<T>({ items }: JsonObject): readonly T[] {
  return items as unknown as readonly T[];
}
