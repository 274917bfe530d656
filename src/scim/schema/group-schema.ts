import {
  attribute,
  defineSchema,
  multiValuedAttribute,
  type SchemaAttribute,
} from './definition.ts';

/**
 * The sub-attributes of a list of users. They never change inside the list: a member is added or
 * removed. @see RFC 7643 §4.2
 */
export function userElement(): SchemaAttribute[] {
  return [
    attribute('string', 'value', 'The id of a User.', {
      required: true,
      caseExact: true,
      mutability: 'immutable',
    }),
    attribute('reference', '$ref', 'The URI of the user.', {
      referenceTypes: ['User'],
      caseExact: true,
      mutability: 'immutable',
    }),
    attribute('string', 'type', 'Always User: groups cannot be members.', {
      canonicalValues: ['User'],
      mutability: 'immutable',
    }),
    attribute('string', 'display', 'The name of the user.', { mutability: 'readOnly' }),
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
      'The users in the group. They are added and removed as a whole.',
      userElement(),
    ),
  ],
);
