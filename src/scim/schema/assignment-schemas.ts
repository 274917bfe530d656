import { attribute, defineSchema, type SchemaAttribute } from './definition.ts';

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
