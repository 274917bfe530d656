/** Keys by which a census knows a person again, the surest first. */
export const MATCH_KEYS = ['externalId', 'userName', 'email'] as const;

/** Reasons why a user is not erased yet, as the steps that have to come first, in sentences for an operator. */
export const OBSTACLE_WORDS = {
  managed:
    'A provider still has this person: have them deleted there, or send DELETE /scim/v2/Users/{id}.',
  'in-service':
    'The service shows this account, which would bring everything back: remove it there, then compare (scim-bridge sweep).',
  active:
    'The account works in the service: deactivate it there, or have the drift user.activated repaired.',
  pending:
    'Something of the deletion has not reached the service yet: GET /ops/users/{id} says what waits.',
  held: 'A plan or a recovery that is about this person waits: decide about it, or wait until it is done.',
  drifting: 'The service differs in something that is about this person: GET /ops/drifts shows it.',
  recent:
    'The bridge changed this person less than ten minutes ago, and the audit log may still tell of it: try again then.',
  erased: 'It was done before: nothing personal is left.',
} as const;
