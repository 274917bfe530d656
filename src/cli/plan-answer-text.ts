import type { PlanAnswer } from '../ops/schemas/plans.ts';

/** A plan as text: its counts, its first actions, and what can be decided. */
export function toPlanAnswerText({
  id,
  hash,
  status,
  reason,
  counts,
  actions,
}: PlanAnswer): string {
  const why = reason === null ? '' : ` (${reason})`;
  const lines = actions.map((action) => {
    const { kind, resource, member, harm } = action;
    const name = resource.name ?? resource.id;
    const whom = member === null ? name : `${member.name ?? member.id} in ${name}`;
    const isHarm = harm === null ? '' : ` [${harm}]`;
    return `  ${kind.padEnd(18)} ${whom}: ${action.reason}${isHarm} · ${action.status}\n`;
  });
  const left = counts.total - actions.length;
  const more = left > 0 ? `  … and ${left} more\n` : '';
  const head = `Plan ${id}: ${counts.total} actions, ${status}${why}\n`;
  return `${head}${lines.join('')}${more}${status === 'held' ? toDecisions(id, hash) : ''}`;
}

function toDecisions(id: string, hash: string): string {
  return `
scim-bridge plan approve ${id} ${hash}   does exactly this, as far as it still holds
scim-bridge plan discard ${id}   does nothing of it
`;
}
