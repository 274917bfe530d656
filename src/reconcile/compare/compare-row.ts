import { listDifferingLinks } from '../../store/links/links.ts';
import { isUserRow, type ResourceRow } from '../../store/resources/rows.ts';
import { isNameUnderWay } from '../../store/resources/sent-creates.ts';
import type { Db } from '../../store/store.ts';
import { compareGroup } from './compare-group.ts';
import { compareUser } from './compare-user.ts';
import { type Comparison, type SeenSince, UNKNOWN } from './comparison.ts';

/** Compares one user or group with the service as seen since the sweep began. */
export async function compareRow(db: Db, row: ResourceRow, seen: SeenSince): Promise<Comparison> {
  // A sweep that shows it for the first time may show what a create of ours has just made.
  const isNew = row.origin === null && row.created_at >= seen.since;
  if (isNew && (await isAwaited(db, row))) return UNKNOWN;
  if (isUserRow(row)) return compareUser(row, seen);
  // An unmanaged group has no desired members.
  const links = row.origin === null ? [] : await listDifferingLinks(db, row.id);
  return compareGroup(row, links, seen);
}

async function isAwaited(db: Db, row: ResourceRow): Promise<boolean> {
  if (!isUserRow(row)) return isNameUnderWay(db, 'groups', [row.display_name_folded]);
  const { observed_user_name_folded: name, observed_email_folded: email } = row;
  const names = [name, email].filter((text) => text !== null);
  return isNameUnderWay(db, 'users', names);
}
