export { startEmbedded } from './embedded.js';
export type { EmbeddedOptions, EmbeddedServer } from './embedded.js';
export { Http } from './http.js';
export type { Caller, Request, Response } from './http.js';
export { attach, startKube } from './kube.js';
export type { KubeOptions, RealKube } from './kube.js';
export { findKubectl } from '../../tools/kube-binaries/kubectl.js';
export type { Component, Connection, Credentials, OwnedServer, TestServer } from './server.js';
