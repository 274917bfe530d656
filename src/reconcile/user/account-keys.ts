import { foldCase } from '../../domain/fold.ts';
import type { SentCreate } from '../../domain/sent-create.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';

/** By what an account is recognised, both folded. */
export interface AccountKeys {
  readonly userNameFolded: string;
  readonly emailFolded: string | undefined;
}

/** By what an account that was created so is recognised. */
export function toAccountKeys({ name, address }: SentCreate): AccountKeys {
  return {
    userNameFolded: foldCase(name),
    emailFolded: address === undefined ? undefined : foldCase(address),
  };
}

/** Whether an account has this userName or address. Compared by ourselves, also where a filter was sent. */
export function matchesKeys(user: ScimUser, { userNameFolded, emailFolded }: AccountKeys): boolean {
  const names = [user.userName, ...user.emails].flatMap((text) =>
    text === undefined ? [] : [foldCase(text)],
  );
  return (
    names.includes(userNameFolded) || (emailFolded !== undefined && names.includes(emailFolded))
  );
}
