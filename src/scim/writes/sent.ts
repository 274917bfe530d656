import { GROUP_EXTENSION, USER_EXTENSION } from '../../domain/extensions.ts';
import type { RequestRepairs } from '../repairs.ts';
import { type Content, listWritten } from '../requests/list-written.ts';

/** Body of a write, and the counter of its corrections. */
export interface Sent {
  readonly body: unknown;
  readonly repairs: RequestRepairs;
  /** Told what the body says, also of a write that is refused then. */
  understood(content: Content): void;
}

/** Attributes by which access can be taken. */
const ACCESS = ['active', 'entitlements', 'members', 'admins', USER_EXTENSION, GROUP_EXTENSION];

/**
 * Tells what the body of a PUT or PATCH says. One of which a part was left out goes on only if the rest may take access
 * away; `storeKnowing` finds out whether it does. @throws ScimError the refusal of the part
 */
export function understand<Said extends Content>(sent: Sent, content: Said): Said {
  const mayTake = listWritten(content).some(
    ({ op, path }) => op !== 'add' && ACCESS.some((name) => path.startsWith(name)),
  );
  return mayTake ? tell(sent, content) : understandWhole(sent, content);
}

/** Tells what the body of a POST says, which makes somebody new or nothing. @throws ScimError the refusal of a part */
export function understandWhole<Said extends Content>(sent: Sent, content: Said): Said {
  const [refusal] = sent.repairs.listLeftOut();
  if (refusal !== undefined) throw refusal;
  return tell(sent, content);
}

function tell<Said extends Content>(sent: Sent, content: Said): Said {
  sent.understood(content);
  return content;
}
