import { Schemas } from 'scimmy';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../domain/extensions.ts';

/** One attribute, as `/Schemas` describes it. @see RFC 7643 §7 */
export type Attribute = {
  readonly name: string;
  readonly type: string;
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact?: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  readonly returned: string;
  readonly uniqueness?: string;
  /** Suggestions for the reader, not a closed list: providers send other types as well. */
  readonly canonicalValues?: string[];
  readonly referenceTypes?: string[];
  readonly subAttributes?: Attribute[];
  /** Field of the service that it stands for, by its written name (`toWrittenName`). */
  readonly field?: string;
  /** Least number; absent: any. Not described, as `field` is not. */
  readonly least?: number;
};

/** One schema. Its attributes are its own: the common ones of RFC 7643 §3.1 are `COMMON`. */
export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

type Characteristics = Partial<Attribute>;

/** Attributes of the standard that differ from what scimmy says of them, by their paths. */
type Changes = Readonly<Record<string, Characteristics>>;

type Standard = (typeof Schemas)['User']['definition'];

const COMMON_NAMES: ReadonlySet<string> = new Set(['schemas', 'id', 'externalId', 'meta']);

/** The attributes that every resource has. @see RFC 7643 §3.1 */
export const COMMON = parseAttributes(Schemas.User.definition).filter(isCommon);

/** `uniqueness` could only be said of all addresses, and one may be shared. */
const EMAILS =
  'E-mail addresses. A User without one, here or as its userName, has no account in the service until one comes. The account is known by the primary one, else the first of type work, else the first, else the userName: that one must not be the address or userName of another account of the service (409 uniqueness); others may be shared.';

/** It has a default and no third state, so it is neither required nor can it be cleared. */
const ACTIVE =
  'Whether the user may use the service. A new user that does not say so is active; it cannot be cleared, and what would clear it changes nothing.';

/** The User of RFC 7643 §4.1. */
export const userDescription: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A person with an account',
  attributes: toStandard(Schemas.User.definition, {
    active: { description: ACTIVE },
    password: { description: 'Accepted and forgotten: people sign in elsewhere.' },
    emails: { description: EMAILS },
    'groups.value': { caseExact: true },
    'groups.$ref': { referenceTypes: ['Group'] },
    entitlements: {
      description:
        'What the person is entitled to. A value of /Entitlements gives a licence of the service; others are kept as they were sent.',
    },
    'entitlements.type': { canonicalValues: ['Entitlement'] },
    roles: {
      description:
        'What the person is, such as "Student". Kept as it was sent; of /Roles nobody becomes an owner by SCIM.',
    },
    'roles.type': { canonicalValues: ['Role'] },
    'x509Certificates.type': { canonicalValues: ['work', 'home', 'other'] },
  }),
};

const members = {
  'members.value': { required: true, caseExact: true },
  'members.display': { mutability: 'readOnly' },
} as const;

/** The Group of RFC 7643 §4.2. */
export const groupDescription: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of people',
  attributes: toStandard(Schemas.Group.definition, {
    displayName: { uniqueness: 'server' },
    members: {
      description:
        'The users in the group, and groups whose users are in it, where the provider has them so. They are added and removed as a whole.',
    },
    ...members,
  }),
};

/** The enterprise User extension of RFC 7643 §4.3. The bridge keeps it; the service cannot. */
export const enterpriseDescription: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'What companies know of their people',
  attributes: toStandard(Schemas.EnterpriseUser.definition, {
    manager: { description: 'The manager. Kept as sent: it need not be a user known here.' },
    'manager.value': { caseExact: true },
  }),
};

/** Extension with the attributes that the service has for a user beyond the core schema. */
export const workManagementUserDescription: Schema = {
  id: USER_EXTENSION,
  name: 'WorkManagementUser',
  description: 'What the work-management service has for a person beyond the core schema',
  attributes: [
    toAttribute('appsPermissions', {
      type: 'integer',
      least: 0,
      description:
        'Which applications the licence covers, as bits: 1 full, 2 guest, 4 service desk. The service refuses others.',
    }),
    toAttribute('temporarilyInactive', {
      type: 'boolean',
      description: 'Whether the user is suspended. Where it is cleared, it is false.',
    }),
    toAttribute('virtual', {
      type: 'boolean',
      mutability: 'readOnly',
      description: 'Whether the account stands for nobody.',
    }),
    toAttribute('role', {
      type: 'integer',
      mutability: 'readOnly',
      description: 'The role in the company.',
    }),
  ],
};

/** Extension with the attributes that the service has for a group beyond the core schema. */
export const workManagementGroupDescription: Schema = {
  id: GROUP_EXTENSION,
  name: 'WorkManagementGroup',
  description: 'What the work-management service has for a group beyond the core schema',
  attributes: [
    toAttribute('permissions', {
      type: 'integer',
      least: 0,
      description:
        'What members may do in the company, as bits. A provider sets only those that the operator allows (GROUPS_PERMISSIONS_MAX), by default none.',
    }),
    toAttribute('addToCardsAndSpacesEnabled', {
      type: 'boolean',
      description: 'Whether the group can be added to cards and spaces.',
    }),
    ...toStandard(Schemas.Group.definition, {
      ...members,
      members: {
        name: 'admins',
        description: 'The users who run the group. They are added and removed as a whole.',
      },
      'members.$ref': { referenceTypes: ['User'] },
      'members.type': { canonicalValues: ['User'] },
    }).filter(({ name }) => name === 'admins'),
  ],
};

/** The Role of Okta's governance: a role in the company. */
export const roleDescription: Schema = toAssigned('Role', 'A role in the company');

/** The Entitlement of Okta's governance: a licence of the service. */
export const entitlementDescription: Schema = toAssigned('Entitlement', 'A licence of the service');

/** Extension of roles and entitlements: how often each is assigned. */
export const assignmentsDescription: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Assignments',
  name: 'Assignments',
  description: 'How often a role or entitlement is assigned',
  attributes: [
    toAttribute('totalAssignmentsUsed', {
      type: 'integer',
      mutability: 'readOnly',
      description: 'How many active accounts of the service have it, as last seen.',
    }),
  ],
};

function toAssigned(name: 'Role' | 'Entitlement', description: string): Schema {
  const texts = {
    displayName: 'The name to show.',
    type: 'The name of the resource type.',
    description: 'What it gives.',
  };
  const attributes = Object.entries(texts).map(([name, description]) =>
    toAttribute(name, { description, mutability: 'readOnly' }),
  );
  return { id: `urn:okta:scim:schemas:core:1.0:${name}`, name, description, attributes };
}

/** An attribute as the standard has it where nothing else is said. */
export function toAttribute(name: string, characteristics: Characteristics): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description: '',
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...characteristics,
  };
}

function toStandard(standard: Standard, changes: Changes): Attribute[] {
  const change = (path: string, { subAttributes, ...own }: Attribute): Attribute => {
    const changed = { ...own, ...toOurs(own), ...changes[path] };
    if (subAttributes === undefined) return changed;
    return {
      ...changed,
      subAttributes: subAttributes.map((sub) => change(`${path}.${sub.name}`, sub)),
    };
  };
  const own = parseAttributes(standard).filter((each) => !isCommon(each));
  return own.map((each) => change(each.name, each));
}

/** References are case exact (RFC 7643 §2.3.7), and values of another type than the usual ones are kept too. */
function toOurs({ type, name, mutability }: Attribute): Characteristics {
  if (type === 'reference') return { caseExact: true };
  if (name !== 'type' || mutability !== 'readWrite') return {};
  return { description: 'What the value is used for; others than these are taken too.' };
}

function isCommon({ name }: Attribute): boolean {
  return COMMON_NAMES.has(name);
}

/** Through JSON, because scimmy describes attributes by instances that only become data there. */
function parseAttributes({ attributes }: Standard): Attribute[] {
  return JSON.parse(JSON.stringify(attributes)) as Attribute[];
}
