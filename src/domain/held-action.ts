import type { GroupField } from './group.ts';
import type { OwnCallKind } from './own-call.ts';
import type { UserField } from './user.ts';

/** What a held action would do. `missing`: it would be looked for, and made anew where it is really gone. */
export type HeldKind = OwnCallKind | 'user.missing' | 'group.missing';

/** A difference between desired and observed that nobody acts on before it is approved. */
export interface HeldAction {
  readonly resourceType: 'user' | 'group';
  readonly resourceId: string;
  readonly kind: HeldKind;
  /** The field that would wait, or the list that the person is in. */
  readonly field: UserField | GroupField | 'memberships' | 'group_admins';
  /** The SCIM id of the person, in a list. */
  readonly memberId?: string;
  /** Stands for what was desired and observed: an action whose precondition no longer holds drops out. */
  readonly precondition: string;
}
