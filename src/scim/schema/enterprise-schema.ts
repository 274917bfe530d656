import { attribute, complexAttribute, defineSchema } from './definition.ts';

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
