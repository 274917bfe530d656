import type { PlanView } from '../ops/schemas/recovery.ts';

/** A plan that waits for an operator, as text: its counts, its first changes, and what can be decided. */
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
