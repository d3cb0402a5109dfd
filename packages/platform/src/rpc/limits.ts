import type { ChannelOptions } from '@grpc/grpc-js';

/** No gRPC message may be larger, in either direction, on either transport. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** What one request or response may weigh, so that its frame still fits a message. */
export const MAX_PAYLOAD_BYTES = MAX_MESSAGE_BYTES - 64 * 1024;

/** A batch of frames is split here; only a single larger frame makes a larger message. */
export const MAX_BATCH_BYTES = 1024 * 1024;

/** With more than this waiting to be written, a tunnel takes no further work. */
export const MAX_QUEUED_BYTES = 2 * MAX_MESSAGE_BYTES;

/** The deadline of a call whose context has none. */
export const DEFAULT_TIMEOUT_MS = 15_000;

/** How many calls a server or a channel holds at once unless told otherwise. */
export const DEFAULT_MAX_IN_FLIGHT = 1_000;

/** grpc-js options that both sides share. */
export const TRANSPORT_OPTIONS: ChannelOptions = {
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  // A peer that vanished without a FIN is noticed within 40 s.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.keepalive_permit_without_calls': 1,
  // The default of 64 KiB would stop a tunnel that many calls share every few frames.
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
};
