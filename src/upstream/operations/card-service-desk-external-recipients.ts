import type { OperationGroup } from './operation.ts';

const recipient = [
  'created',
  'updated',
  'card_id',
  'user_id',
  'email',
  'unsubscribed',
  'updater_id',
] as const;

/** Addresses that a service-desk request answers to. */
export const cardServiceDeskExternalRecipients = {
  /** Adds an address. */
  addNewRecipient: {
    id: 'cardServiceDeskExternalRecipients.addNewRecipient',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/sd-external-recipients',
    pathParameters: { card_id: 'integer' },
    body: { 'email*': 'string' },
    response: { kind: 'object', fields: recipient },
    repeat: 'unsafe',
    source: 'REST: cardServiceDeskExternalRecipients',
  },
  /** Removes an address. */
  removeRecipient: {
    id: 'cardServiceDeskExternalRecipients.removeRecipient',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/sd-external-recipients/{email}',
    pathParameters: { card_id: 'integer', email: 'string' },
    response: { kind: 'object', fields: [...recipient, 'company_id'] },
    repeat: 'safe',
    source: 'REST: cardServiceDeskExternalRecipients',
  },
} as const satisfies OperationGroup;
