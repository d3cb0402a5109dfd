import 'reflect-metadata';
import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpException,
  Inject,
  Injectable,
  Module,
  type OnModuleInit,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type ClientGrpc, ClientsModule } from '@nestjs/microservices';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { lastValueFrom } from 'rxjs';
import { type Caller, limitHeaders, requireScope } from '../shared/identity.ts';
import { newId } from '../shared/ids.ts';
import { serve, setting } from '../shared/process.ts';
import { errorBody, Refused } from '../shared/refused.ts';
import {
  readEvent,
  readId,
  readIdempotencyKey,
  readPurpose,
  readToken,
  requestIdOf,
} from '../shared/requests.ts';
import type { IdentityClient, ReportingClient, ScoringClient } from './clients.ts';
import { grpcOptions, refusalOf } from './grpc.ts';

const IDENTITY = Symbol('identity');
const REPORTING = Symbol('reporting');
const SCORING = Symbol('scoring');

interface Locals {
  request_id: string;
  caller: Caller;
}
type Answer = Response<unknown, Locals>;

/** Who calls, and whether the minute has room. */
@Injectable()
class CallerGuard implements CanActivate, OnModuleInit {
  @Inject(IDENTITY) private readonly client!: ClientGrpc;
  private identity!: IdentityClient;

  onModuleInit(): void {
    this.identity = this.client.getService<IdentityClient>('Identity');
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const response = http.getResponse<Answer>();
    const token = readToken(http.getRequest<Request>().get('authorization'));
    response.locals.caller = await lastValueFrom(this.identity.authorise({ token }));
    response.set(limitHeaders(response.locals.caller));
    return true;
  }
}

@Controller('api/v1')
@UseGuards(CallerGuard)
class GatewayController implements OnModuleInit {
  @Inject(REPORTING) private readonly reporting_client!: ClientGrpc;
  @Inject(SCORING) private readonly scoring_client!: ClientGrpc;
  private reporting!: ReportingClient;
  private scoring!: ScoringClient;

  onModuleInit(): void {
    this.reporting = this.reporting_client.getService<ReportingClient>('Reporting');
    this.scoring = this.scoring_client.getService<ScoringClient>('Scoring');
  }

  @Post('accounts/:account_id/events')
  async reportEvent(
    @Req() request: Request<{ account_id: string }>,
    @Res() response: Answer,
  ): Promise<void> {
    const { caller, request_id } = response.locals;
    requireScope(caller, 'credit:report');
    const { answer, replayed } = await lastValueFrom(
      this.reporting.reportEvent({
        institution_id: caller.institution_id,
        key_id: caller.key_id,
        request_id,
        account_id: readId(request.params.account_id, 'account_id'),
        idempotency_key: readIdempotencyKey(request.get('idempotency-key')),
        command: readEvent(request.body),
      }),
    );
    if (replayed) response.set('Idempotent-Replayed', 'true');
    response.status(201).type('json').send(answer);
  }

  @Get('credit/:subject_id')
  async getProfile(
    @Req() request: Request<{ subject_id: string }>,
    @Res() response: Answer,
  ): Promise<void> {
    const { caller, request_id } = response.locals;
    requireScope(caller, 'credit:read');
    const { answer } = await lastValueFrom(
      this.scoring.getProfile({
        institution_id: caller.institution_id,
        key_id: caller.key_id,
        request_id,
        subject_id: readId(request.params.subject_id, 'subject_id'),
        purpose: readPurpose(request.query['purpose']),
      }),
    );
    response.type('json').send(answer);
  }
}

@Catch()
class Refusals implements ExceptionFilter<unknown> {
  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Answer>();
    const refused =
      error instanceof HttpException
        ? new Refused(error.getStatus(), 'REFUSED', error.message)
        : refusalOf(error);
    const body = errorBody(refused, response.locals.request_id);
    response.status(refused.status).type('json').send(body);
  }
}

@Module({
  imports: [
    ClientsModule.register([
      { name: IDENTITY, ...grpcOptions(setting('IDENTITY_PORT')) },
      { name: REPORTING, ...grpcOptions(setting('REPORTING_PORT')) },
      { name: SCORING, ...grpcOptions(setting('SCORING_PORT')) },
    ]),
  ],
  controllers: [GatewayController],
  providers: [CallerGuard],
})
class GatewayModule {}

const app = await NestFactory.create<NestExpressApplication>(GatewayModule, {
  logger: ['error', 'warn'],
});
app.disable('x-powered-by');
app.disable('etag');
app.use((request: Request, response: Answer, next: NextFunction) => {
  response.locals.request_id = requestIdOf(request.get('x-request-id'), newId);
  response.set('X-Request-ID', response.locals.request_id);
  next();
});
app.useGlobalFilters(new Refusals());
const port = setting('GATEWAY_PORT');
await app.listen(port, '127.0.0.1');
serve(port, () => app.close());
