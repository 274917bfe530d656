import type { PlanAnswer } from '../ops/schemas/plans.ts';
import type { PlanView } from '../ops/schemas/recovery.ts';

/** Prints a plan that waits for an operator: its counts, its first changes, and the decisions that are possible. */
export function toPlanText({ hash, total, readSince, kinds, actions }: PlanView): string {
  const counts = Object.entries(kinds).map(([kind, count]) => `  ${kind.padEnd(18)} ${count}\n`);
  const lines = actions.map(({ kind, name, memberName }) => {
    const who = memberName === null ? name : `${memberName} in ${name}`;
    return `  ${kind.padEnd(18)} ${who}\n`;
  });
  const more = total > actions.length ? `  … and ${total - actions.length} more\n` : '';
  return `Plan ${hash}: ${total} changes, from a read of the service begun at ${readSince}
${counts.join('')}
${lines.join('')}${more}
scim-bridge recovery approve ${hash}   does exactly this, as far as it still holds
scim-bridge recovery discard ${hash}   leaves the service as it is
`;
}

/** Prints a plan: its counts, its first actions, and the decisions that are possible. */
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
