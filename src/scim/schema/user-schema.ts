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
    attribute('string', 'type', 'Always direct.', readOnly({ canonicalValues: ['direct'] })),
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
