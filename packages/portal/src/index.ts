export { readManifest } from './manifest';
export { docsRoutes } from './routes';
