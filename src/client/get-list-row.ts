import { operationGroups } from '../upstream/operations/all.ts';
import type {
  Operation,
  OperationGroup,
  PagedOperation,
} from '../upstream/operations/operation.ts';

/** The row behind an operation of a client. @throws TypeError when it is no paged list. */
export function getListRow(operation: unknown): PagedOperation {
  const row =
    typeof operation === 'function' && 'operation' in operation
      ? listRows().find((each) => each === operation.operation)
      : undefined;
  if (!row) throw new TypeError('paginate: the first argument must be an operation of a client');
  if (!isPaged(row)) throw new TypeError(`paginate: ${row.id} does not go on page by page`);
  return row;
}

function listRows(): Operation[] {
  const groups: OperationGroup[] = Object.values(operationGroups);
  return groups.flatMap((group) => Object.values(group));
}

function isPaged(row: Operation): row is PagedOperation {
  return row.paging !== undefined;
}
