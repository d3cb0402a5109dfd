export { readManifest } from './manifest';
export { type FoundOperation, OpenApiDocument } from './openapi-document';
export { docsRoutes } from './routes';
export { type LanguageId, type SampleValues, sampleOf } from './samples';
