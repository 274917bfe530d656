/** Names who changed the service by `scim-bridge api`, under the bridge's own account. */
export const BY_OPERATOR = 'an operator, through the bridge';
