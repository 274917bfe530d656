// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `serviceDeskServices.retrieveServicesList`. */
export type ServiceDeskServicesRetrieveServicesListArguments = Record<never, never>;

/** Entry of the answer of `serviceDeskServices.retrieveServicesList`. */
export interface ServiceDeskServicesRetrieveServicesListEntry {
  /** Inferred from its name. */
  id: number | string;
  name: unknown;
  fields_settings: unknown;
  archived: unknown;
  lng: unknown;
  email_settings: unknown;
  /** Inferred from the parameters called `type_id`. */
  type_id: number | null;
  email_key: unknown;
  /** Inferred from the parameters called `board_id`. */
  board_id: number | null;
  /** Inferred from the parameters called `column_id`. */
  column_id: number | null;
  /** Inferred from the parameters called `lane_id`. */
  lane_id: number | null;
  display_status: unknown;
  template_description: unknown;
  settings: unknown;
  allow_to_add_external_recipients: unknown;
  column: unknown;
  board: unknown;
  lane: unknown;
  voteCustomProperty: unknown;
}

/** Answer of `serviceDeskServices.retrieveServicesList`. */
export type ServiceDeskServicesRetrieveServicesListAnswer = ServiceDeskServicesRetrieveServicesListEntry[];

/** Operations of `client.serviceDeskServices`. */
export interface ServiceDeskServicesOperations {
  /**
   * All services, in one answer.
   *
   * `GET /service-desk/services`
   */
  readonly retrieveServicesList: Call<ServiceDeskServicesRetrieveServicesListArguments, ServiceDeskServicesRetrieveServicesListAnswer>;
}
