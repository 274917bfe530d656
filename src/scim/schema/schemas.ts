import { GROUP_EXTENSION, USER_EXTENSION } from '../../domain/extensions.ts';
import {
  attribute,
  complexAttribute,
  defineSchema,
  multiValuedAttribute,
  type SchemaAttribute,
} from './definition.ts';

const PRIMARY = 'Whether this is the preferred value of the attribute. At most one is.';

const USE = 'What the value is used for; others than these are taken too.';

/** The sub-attributes that most lists of RFC 7643 §2.4 share. */
function listElement(value: SchemaAttribute, types: readonly string[]): SchemaAttribute[] {
  return [
    value,
    attribute('string', 'display', 'A name of the value for people to read.'),
    attribute('string', 'type', USE, { canonicalValues: types }),
    attribute('boolean', 'primary', PRIMARY),
  ];
}

const name = complexAttribute('name', 'The parts of the real name.', [
  attribute('string', 'formatted', 'The full name, formatted for display.'),
  attribute('string', 'familyName', 'The family name, or last name.'),
  attribute('string', 'givenName', 'The given name, or first name.'),
  attribute('string', 'middleName', 'The middle name or names.'),
  attribute('string', 'honorificPrefix', 'What stands before the name, such as "Ms."'),
  attribute('string', 'honorificSuffix', 'What stands after the name, such as "III".'),
]);

const addresses = multiValuedAttribute('addresses', 'Postal addresses.', [
  attribute('string', 'formatted', 'The full address, formatted for display.'),
  attribute('string', 'streetAddress', 'Street, number, floor; may have several lines.'),
  attribute('string', 'locality', 'The city.'),
  attribute('string', 'region', 'The state or region.'),
  attribute('string', 'postalCode', 'The postal code.'),
  attribute('string', 'country', 'The country.'),
  attribute('string', 'type', USE, {
    canonicalValues: ['work', 'home', 'other'],
  }),
  attribute('boolean', 'primary', PRIMARY),
]);

const groups = multiValuedAttribute(
  'groups',
  'The groups the user is in. Changed through the groups.',
  [
    attribute('string', 'value', 'The id of the group.', readOnly({ caseExact: true })),
    attribute(
      'reference',
      '$ref',
      'The URI of the group.',
      readOnly({ referenceTypes: ['Group'], caseExact: true }),
    ),
    attribute('string', 'display', 'The name of the group.', readOnly({})),
    attribute(
      'string',
      'type',
      'Whether the user is a member by name, or by a group that is a member.',
      readOnly({ canonicalValues: ['direct', 'indirect'] }),
    ),
  ],
  { mutability: 'readOnly' },
);

/** `uniqueness` could only be said of all addresses, and one may be shared. */
const EMAILS =
  'E-mail addresses. A User without one, here or as its userName, has no account in the service until one comes. The account is known by the primary one, else the first of type work, else the first, else the userName: that one must not be the address or userName of another account of the service (409 uniqueness); others may be shared.';

/** It has a default and no third state, so it is neither required nor can it be cleared. */
const ACTIVE =
  'Whether the user may use the service. A new user that does not say so is active; it cannot be cleared, and what would clear it changes nothing.';

function readOnly<T extends object>(options: T) {
  return { ...options, mutability: 'readOnly' as const };
}

/** The User of RFC 7643 §4.1. */
export const userDefinition = defineSchema(
  'urn:ietf:params:scim:schemas:core:2.0:User',
  'User',
  'A person with an account',
  [
    attribute(
      'string',
      'userName',
      'The name the provider knows the user by. Unique among users, whatever its case.',
      {
        required: true,
        uniqueness: 'server',
      },
    ),
    name,
    attribute('string', 'displayName', 'The name to show.'),
    attribute('string', 'nickName', 'The casual name.'),
    attribute('reference', 'profileUrl', 'The URL of an online profile.', {
      referenceTypes: ['external'],
    }),
    attribute('string', 'title', 'The job title.'),
    attribute('string', 'userType', 'The relation to the company, such as "Contractor".'),
    attribute('string', 'preferredLanguage', 'The preferred language, such as "en-US".'),
    attribute('string', 'locale', 'How numbers and dates are written, such as "en-US".'),
    attribute('string', 'timezone', 'The time zone, such as "Europe/Berlin".'),
    attribute('boolean', 'active', ACTIVE),
    attribute('string', 'password', 'Accepted and forgotten: people sign in elsewhere.', {
      mutability: 'writeOnly',
      returned: 'never',
    }),
    multiValuedAttribute(
      'emails',
      EMAILS,
      listElement(attribute('string', 'value', 'The address.'), ['work', 'home', 'other']),
    ),
    multiValuedAttribute(
      'phoneNumbers',
      'Phone numbers, kept as they were sent.',
      listElement(attribute('string', 'value', 'The number.'), [
        'work',
        'home',
        'mobile',
        'fax',
        'pager',
        'other',
      ]),
    ),
    multiValuedAttribute(
      'ims',
      'Addresses for instant messages.',
      listElement(attribute('string', 'value', 'The address.'), ['xmpp', 'skype', 'other']),
    ),
    multiValuedAttribute(
      'photos',
      'URLs of photos.',
      listElement(attribute('reference', 'value', 'The URL.', { referenceTypes: ['external'] }), [
        'photo',
        'thumbnail',
      ]),
    ),
    addresses,
    groups,
    multiValuedAttribute(
      'entitlements',
      'What the person is entitled to. A value of /Entitlements gives a licence of the service; others are kept as they were sent.',
      listElement(attribute('string', 'value', 'The entitlement.'), ['Entitlement']),
    ),
    multiValuedAttribute(
      'roles',
      'What the person is, such as "Student". Kept as it was sent; of /Roles nobody becomes an owner by SCIM.',
      listElement(attribute('string', 'value', 'The role.'), ['Role']),
    ),
    multiValuedAttribute(
      'x509Certificates',
      'Certificates.',
      listElement(
        attribute(
          'binary',
          'value',
          'The certificate, DER in base64; kept as it was sent, also where it is no base64.',
        ),
        ['work', 'home', 'other'],
      ),
    ),
  ],
);

/**
 * The sub-attributes of a list of users, or of members. They never change inside the list: a member is added or
 * removed. @see RFC 7643 §4.2
 */
function userElement(types: readonly string[] = ['User']): SchemaAttribute[] {
  return [
    attribute('string', 'value', 'The id.', {
      required: true,
      caseExact: true,
      mutability: 'immutable',
    }),
    attribute('reference', '$ref', 'The URI.', {
      referenceTypes: types,
      caseExact: true,
      mutability: 'immutable',
    }),
    attribute('string', 'type', 'What it is.', {
      canonicalValues: types,
      mutability: 'immutable',
    }),
    attribute('string', 'display', 'The name.', { mutability: 'readOnly' }),
  ];
}

/** The Group of RFC 7643 §4.2. */
export const groupDefinition = defineSchema(
  'urn:ietf:params:scim:schemas:core:2.0:Group',
  'Group',
  'A group of people',
  [
    attribute(
      'string',
      'displayName',
      'The name of the group. Unique among groups, whatever its case.',
      {
        required: true,
        uniqueness: 'server',
      },
    ),
    multiValuedAttribute(
      'members',
      'The users in the group, and groups whose users are in it, where the provider has them so. They are added and removed as a whole.',
      userElement(['User', 'Group']),
    ),
  ],
);

/** The enterprise User extension of RFC 7643 §4.3. The bridge keeps it; the service cannot. */
export const enterpriseDefinition = defineSchema(
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  'EnterpriseUser',
  'What companies know of their people',
  [
    attribute('string', 'employeeNumber', 'The number of the person in the company.'),
    attribute('string', 'costCenter', 'The cost center.'),
    attribute('string', 'organization', 'The organization.'),
    attribute('string', 'division', 'The division.'),
    attribute('string', 'department', 'The department.'),
    complexAttribute('manager', 'The manager. Kept as sent: it need not be a user known here.', [
      attribute('string', 'value', 'The id of the manager.', { caseExact: true }),
      attribute('reference', '$ref', 'The URI of the manager.', {
        referenceTypes: ['User'],
        caseExact: true,
      }),
      attribute('string', 'displayName', 'The name of the manager.', { mutability: 'readOnly' }),
    ]),
  ],
);

/** Extension with the attributes that the service has for a user beyond the core schema. */
export const workManagementUserDefinition = defineSchema(
  USER_EXTENSION,
  'WorkManagementUser',
  'What the work-management service has for a person beyond the core schema',
  [
    attribute(
      'integer',
      'appsPermissions',
      'Which applications the licence covers, as bits: 1 full, 2 guest, 4 service desk. The service refuses others.',
    ),
    attribute(
      'boolean',
      'temporarilyInactive',
      'Whether the user is suspended. Where it is cleared, it is false.',
    ),
    attribute('boolean', 'virtual', 'Whether the account stands for nobody.', {
      mutability: 'readOnly',
    }),
    attribute('integer', 'role', 'The role in the company.', { mutability: 'readOnly' }),
  ],
);

/** Extension with the attributes that the service has for a group beyond the core schema. */
export const workManagementGroupDefinition = defineSchema(
  GROUP_EXTENSION,
  'WorkManagementGroup',
  'What the work-management service has for a group beyond the core schema',
  [
    attribute(
      'integer',
      'permissions',
      'What members may do in the company, as bits. A provider sets only those that the operator allows (GROUPS_PERMISSIONS_MAX), by default none.',
    ),
    attribute(
      'boolean',
      'addToCardsAndSpacesEnabled',
      'Whether the group can be added to cards and spaces.',
    ),
    multiValuedAttribute(
      'admins',
      'The users who run the group. They are added and removed as a whole.',
      userElement(),
    ),
  ],
);

function listAttributes(): SchemaAttribute[] {
  return [
    attribute('string', 'displayName', 'The name to show.', { mutability: 'readOnly' }),
    attribute('string', 'type', 'The name of the resource type.', { mutability: 'readOnly' }),
    attribute('string', 'description', 'What it gives.', { mutability: 'readOnly' }),
  ];
}

/** The Role of Okta's governance: a role in the company. */
export const roleDefinition = defineSchema(
  'urn:okta:scim:schemas:core:1.0:Role',
  'Role',
  'A role in the company',
  listAttributes(),
);

/** The Entitlement of Okta's governance: a licence of the service. */
export const entitlementDefinition = defineSchema(
  'urn:okta:scim:schemas:core:1.0:Entitlement',
  'Entitlement',
  'A licence of the service',
  listAttributes(),
);

/** Extension of roles and entitlements: how often each is assigned. */
export const assignmentsDefinition = defineSchema(
  'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Assignments',
  'Assignments',
  'How often a role or entitlement is assigned',
  [
    attribute(
      'integer',
      'totalAssignmentsUsed',
      'How many active accounts of the service have it, as last seen.',
      { mutability: 'readOnly' },
    ),
  ],
);

/** All schemas, as they are described. */
export const DEFINITIONS = [
  ...[userDefinition, enterpriseDefinition, groupDefinition, workManagementUserDefinition],
  ...[workManagementGroupDefinition, roleDefinition, entitlementDefinition, assignmentsDefinition],
];
