// What webhook messages are signed with: the service that sends them and the tool that plays it on
// a laptop are not told apart by a receiver.
export { canonicalJson, type Json } from './canonical-json';
export { makeSecret } from './secret';
export { type DeliveryHeaders, deliveryHeaders, sign, signedHeaders } from './signature';
