import { listFoldedEmails } from '../../domain/address.ts';
import { foldCase } from '../../domain/fold.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { isGone } from '../../domain/resource-state.ts';
import {
  type Deactivation,
  isObservedActive,
  isWantedActive,
  listUserDifferences,
} from '../../domain/user.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { ExportAttribute } from '../exports/read-entries.ts';

/** Person as a census sees one. */
export interface CensusPerson {
  readonly id: string;
  readonly name: string;
  /** The provider whose it is; null: it is only observed. */
  readonly provider: string | null;
  /** The one that its provider gave, where it gave one. */
  readonly externalIds: readonly string[];
  /** Folded. */
  readonly userNames: readonly string[];
  /** Folded. */
  readonly emails: readonly string[];
  /** Attributes and access that the bridge wants; undefined: it only observes. */
  readonly wanted: { readonly attributes: JsonObject; readonly active: boolean } | undefined;
  /** State in which the service was last seen to hold the account; undefined: it has none. */
  readonly held:
    | {
        readonly active: boolean;
        readonly fullName: string;
        /** True: the service has another name than the bridge wants. */
        readonly isNamedOtherwise: boolean;
      }
    | undefined;
}

/** Maps a row to the person that a census compares. */
export function toCensusPerson(row: UserRow, deactivation: Deactivation): CensusPerson {
  const { desired, observed, cells } = toUserState(row);
  const attributes = parseStored<JsonObject>(row.attributes);
  const isManaged = row.origin !== null;
  const held = observed === undefined || isGone(observed) ? undefined : observed;
  const isOther = (value: string | null): value is string => value !== null && value !== '';
  const fields = held && isManaged ? listUserDifferences(desired, held, cells, deactivation) : [];
  return {
    id: row.id,
    name: row.name,
    provider: isManaged ? row.provider : null,
    externalIds: isManaged && row.external_id !== null ? [row.external_id] : [],
    userNames: [...new Set([row.name_folded, row.observed_user_name_folded].filter(isOther))],
    emails: [
      ...new Set([...listFoldedEmails(attributes), row.observed_email_folded].filter(isOther)),
    ],
    wanted: isManaged ? { attributes, active: isWantedActive(desired, deactivation) } : undefined,
    held: held && {
      active: isObservedActive(held, deactivation),
      fullName: held.fullName,
      isNamedOtherwise: fields.includes('name'),
    },
  };
}

/** Texts of an attribute that the bridge has of a person; none: no provider ever sent it. */
export function listTexts(attributes: JsonObject, attribute: ExportAttribute): readonly string[] {
  if (attribute === 'email') return listFoldedEmails(attributes);
  const [name = '', part] = attribute.split('.');
  const places = part === undefined ? [attributes, attributes[ENTERPRISE]] : [attributes[name]];
  const found = places.map((place) => (isJsonObject(place) ? place[part ?? name] : undefined));
  return found.flatMap((value) => (typeof value === 'string' ? [value] : []));
}

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** Folded text for comparing names. */
export function toFolded(text: string): string {
  return foldCase(text.trim());
}
