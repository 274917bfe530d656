import type { OperationGroup } from './operation.ts';

/** How a card keeps its service level. */
export const cardSla = {
  /** The times measured for a card, and their calendars. */
  retrieveCardSlaMeasurements: {
    id: 'cardSla.retrieveCardSlaMeasurements',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/sla-rules-measurements',
    pathParameters: { card_id: 'integer' },
    response: { kind: 'object', fields: ['calendars', 'rulesTimeData'] },
    repeat: 'safe',
    source: 'REST: cardSla',
  },
} as const satisfies OperationGroup;
