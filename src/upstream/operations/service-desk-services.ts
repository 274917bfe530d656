import type { OperationGroup } from './operation.ts';

/** Services of the service desk. */
export const serviceDeskServices = {
  /** All services, in one answer. */
  retrieveServicesList: {
    id: 'serviceDeskServices.retrieveServicesList',
    api: 'rest',
    method: 'GET',
    path: '/service-desk/services',
    response: {
      kind: 'array',
      fields: [
        'id',
        'name',
        'fields_settings',
        'archived',
        'lng',
        'email_settings',
        'type_id',
        'email_key',
        'board_id',
        'column_id',
        'lane_id',
        'display_status',
        'template_description',
        'settings',
        'allow_to_add_external_recipients',
        'column',
        'board',
        'lane',
        'voteCustomProperty',
      ],
    },
    repeat: 'safe',
    source: 'REST: serviceDeskServices',
  },
} as const satisfies OperationGroup;
