import type { BulkOperation, BulkWrite } from './bulk-operation.ts';
import { findTargetName, listReferences, splitReferences } from './references.ts';
import { toOrder } from './to-order.ts';

/**
 * The operations without the circles that managers make: a new user in one, or behind one, is created without its manager, which
 * is set when its manager is there, before other operations change or delete the user. Other circles stay: groups
 * cannot be members of groups. Linear in the number of operations and references.
 * @see RFC 7644 §3.7.1
 */
export function breakCircles(operations: readonly BulkOperation[]): BulkOperation[] {
  const { circular } = toOrder(operations);
  const inCircle = new Set(circular);
  const broken: BulkOperation[] = [];
  for (const operation of operations) {
    const isPostponed =
      operation.kind === 'write' && inCircle.has(operation) && operation.type === 'User';
    broken.push(isPostponed ? postpone(operation) : operation);
  }
  return putBehind(broken);
}

/** What changes a user whose manager is set later comes after that: otherwise the manager would undo the change. */
function putBehind(operations: readonly BulkOperation[]): BulkOperation[] {
  const lacking = new Map<string, ReadonlySet<string>>();
  for (const operation of operations) {
    if (operation.kind === 'malformed' || operation.postponed === undefined) continue;
    lacking.set(operation.bulkId ?? '', operation.postponed.references);
  }
  return operations.map((operation) => {
    const behind = lacking.get(findTargetName(operation) ?? '');
    return behind && operation.kind === 'write' ? { ...operation, behind } : operation;
  });
}

function postpone(operation: BulkWrite): BulkWrite {
  const { action, references } = operation;
  if (action.method !== 'POST') return operation;
  const { rest, referring } = splitReferences(action.data);
  const now = { ...action, data: rest };
  return {
    ...operation,
    action: now,
    references: listReferences(now),
    postponed: { value: referring, references },
  };
}
