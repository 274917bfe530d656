import { assertNever } from '../../domain/errors.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { GroupKind } from '../group/converge-group.ts';
import {
  type AnyFirstStep,
  type Beginning,
  beginStep,
  type WrittenResource,
} from '../head-start.ts';
import type { UserKind } from '../user/converge-user.ts';

/** A written resource, and what it takes to begin with it. */
interface WriteToBegin {
  readonly users: UserKind;
  readonly groups: GroupKind;
  readonly written: WrittenResource;
  readonly holdsLead: Beginning<unknown, unknown>['holdsLead'];
}

/** Begins a write to a user or group in its transaction; undefined: a run begins it. */
export async function beginWrite(
  tx: Db,
  deps: ReconcileDeps,
  { users, groups, written, holdsLead }: WriteToBegin,
): Promise<AnyFirstStep | undefined> {
  switch (written.type) {
    case 'user': {
      const { type, row } = written;
      const beginning = { key: { type, id: row.id }, state: users.toState(row), row, holdsLead };
      const step = await beginStep(tx, deps, users, beginning);
      return step && { type, ...step };
    }
    case 'group': {
      const { type, row, links } = written;
      const state = groups.toState(row, links);
      const beginning = { key: { type, id: row.id }, state, row, holdsLead };
      const step = await beginStep(tx, deps, groups, beginning);
      return step && { type, ...step };
    }
    default:
      return assertNever(written);
  }
}
