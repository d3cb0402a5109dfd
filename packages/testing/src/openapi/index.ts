export { type Exchange, type HeaderReader, OpenApiChecker, type OpenApiDocument } from './checker';
