export * from './credentials';
export * from './seal';
